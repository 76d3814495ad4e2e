/** A page as a person uses it: what they see, press and write. */

import type { Target } from "./cdp.ts";
import { until } from "./until.ts";
import { regions } from "./words.ts";

/** Faults of the page's own code. */
export interface Faults {
  /** Uncaught and logged errors. */
  readonly errors: string[];
  /** Resources that the content policy blocked. */
  readonly blocked: string[];
  /** Calls of `scriptRan`, which only injected scripts make. */
  readonly ran: string[];
  /** Requests to other hosts. */
  readonly strayed: string[];
}

export interface Size {
  readonly width: number;
  readonly height: number;
}

export const phone: Size = { width: 390, height: 844 };
export const desk: Size = { width: 1280, height: 800 };

/** Time until an answer counts: a person must have been able to read the question. */
const SEEN_MS = 600;

const reporter = `addEventListener("securitypolicyviolation", (event) =>
  policyBlocked(event.violatedDirective + " " + event.blockedURI + " at " + event.sourceFile + ":" + event.lineNumber + ":" + event.columnNumber));`;

export class Page {
  readonly faults: Faults = { errors: [], blocked: [], ran: [], strayed: [] };
  /** Number of loads. */
  loads = 0;
  readonly #target: Target;
  readonly #origin: string;

  private constructor(target: Target, origin: string) {
    this.#target = target;
    this.#origin = origin;
  }

  /** Creates the page without opening a URL. */
  static async of(target: Target, origin: string, size: Size = phone): Promise<Page> {
    const page = new Page(target, origin);
    await page.#watch();
    await page.resize(size);
    return page;
  }

  /** Changes the size, as turning, a keyboard or zoom do. */
  async resize(size: Size): Promise<void> {
    const metrics = { ...size, deviceScaleFactor: 1, mobile: size.width < 600 };
    await this.#target.send("Emulation.setDeviceMetricsOverride", metrics);
  }

  get target(): Target {
    return this.#target;
  }

  async open(path: string): Promise<void> {
    await this.#target.send("Page.navigate", { url: `${this.#origin}${path}` });
  }

  async reload(): Promise<void> {
    await this.#target.send("Page.reload");
  }

  /** Locks the screen as a phone does: the page becomes hidden and frozen. */
  async lock(): Promise<void> {
    await this.#target.freeze();
    await this.until("a dark screen", async () => !(await this.#isVisible()));
  }

  async unlock(): Promise<void> {
    await this.#target.thaw();
    await this.until("a lit screen", () => this.#isVisible());
  }

  /** Polls until the condition holds. */
  until(what: string, isSo: () => Promise<boolean>, patience?: number): Promise<void> {
    return until(
      what,
      () => isSo().catch(isLoading),
      patience,
      async () => {
        const { errors } = this.faults;
        const thrown = errors.length === 0 ? "" : ` It threw: ${errors.join(" | ")}.`;
        const text = await this.text().catch(() => "a page that does not answer");
        return `${thrown} The page shows: ${text}`;
      },
    );
  }

  sees(text: string | RegExp, patience?: number): Promise<void> {
    return this.until(`"${text}"`, async () => holds(await this.text(), text), patience);
  }

  seesNo(text: string | RegExp, patience?: number): Promise<void> {
    return this.until(`no "${text}"`, async () => !holds(await this.text(), text), patience);
  }

  /** All visible text. */
  text(): Promise<string> {
    return this.#target.evaluate(() => document.body.innerText);
  }

  heading(): Promise<string | null> {
    return this.#target.evaluate(() => {
      const all = [...document.querySelectorAll("h1")].filter((one) => one.checkVisibility());
      return all[0]?.innerText ?? null;
    });
  }

  /** The text of a region by its name; null when it is absent. */
  region(name: string): Promise<string | null> {
    return this.#target.evaluate((label) => {
      const found = document.querySelector<HTMLElement>(`[aria-label="${label}"]`);
      return found === null || found.checkVisibility() === false ? null : found.innerText;
    }, name);
  }

  seesRegion(name: string, patience?: number): Promise<void> {
    return this.until(name, async () => (await this.region(name)) !== null, patience);
  }

  seesNoRegion(name: string, patience?: number): Promise<void> {
    return this.until(`no ${name}`, async () => (await this.region(name)) === null, patience);
  }

  /** Waits for a session in the list, by its title, under one of the headings. */
  inGroup(group: string, title: string): Promise<void> {
    const isSo = async () => (await this.region(group))?.includes(title) === true;
    return this.until(`${title} under ${group}`, isSo);
  }

  async transcript(): Promise<string> {
    return (await this.region(regions.transcript)) ?? "";
  }

  /** The numbers that `/count` printed, in the order of the transcript. */
  async counted(): Promise<number[]> {
    return [...(await this.transcript()).matchAll(/<(\d+)>/g)].map(([, n]) => Number(n));
  }

  counts(least: number, patience?: number): Promise<void> {
    const isSo = async () => (await this.counted()).length >= least;
    return this.until(`<${least}>`, isSo, patience);
  }

  /** Presses a button or link by its accessible name, once it is enabled. */
  async press(name: string): Promise<void> {
    await this.until(`a button "${name}"`, () =>
      this.#target.evaluate((wanted) => {
        const all = document.querySelectorAll<HTMLElement>("button, a[href], [role=tab], summary");
        const nameOf = (one: HTMLElement) => {
          const words = one.cloneNode(true) as HTMLElement;
          for (const hint of words.querySelectorAll("kbd")) hint.remove();
          const text = words.textContent ?? "";
          // A count after the name is not part of it.
          return (one.getAttribute("aria-label") ?? text).replace(/\d+$/, "").trim();
        };
        const found = [...all].find((one) => one.checkVisibility() && nameOf(one) === wanted);
        if (found === undefined || (found as HTMLButtonElement).disabled) return false;
        found.click();
        return true;
      }, name),
    );
  }

  /** Names of a region's buttons that cannot be tapped: out of view, or covered. */
  unreachable(region: string): Promise<string[]> {
    return this.#target.evaluate((label) => {
      const place = document.querySelector(`[aria-label="${label}"]`);
      const all = [...(place?.querySelectorAll<HTMLElement>("button") ?? [])];
      const isReached = (button: HTMLElement) => {
        const { left, right, top, bottom } = button.getBoundingClientRect();
        const hit = document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
        const isIn = left >= 0 && top >= 0 && right <= innerWidth && bottom <= innerHeight;
        return isIn && hit !== null && button.contains(hit);
      };
      const isAnswer = (one: HTMLElement) =>
        /^(Allow|Deny|Always|Back|Resume|Dismiss)/.test(one.textContent ?? "");
      const answers = all.filter(isAnswer);
      if (answers.length < 2) return ["there are none"];
      return answers.filter((one) => !isReached(one)).map((one) => one.textContent ?? "");
    }, region);
  }

  /** True when the end of the region's text can be scrolled into view. */
  endsInSight(region: string): Promise<boolean> {
    return this.#target.evaluate((label) => {
      const place = document.querySelector(`[aria-label="${label}"]`);
      if (place === null) return false;
      place.scrollTo({ top: place.scrollHeight });
      const { top, bottom } = place.getBoundingClientRect();
      const last = place.firstElementChild?.getBoundingClientRect();
      const isShown = bottom > top && top >= 0 && bottom <= innerHeight;
      return isShown && last !== undefined && last.bottom <= bottom + 1;
    }, region);
  }

  /** Answers the question on the screen, after the time in which answers do not count. */
  async answer(name: string): Promise<void> {
    await this.seesRegion(regions.decision);
    await new Promise((resolve) => setTimeout(resolve, SEEN_MS));
    await this.press(name);
  }

  /** Opens a session from the list. */
  async openSession(id: string): Promise<void> {
    await this.until(`${id} in the list`, () =>
      this.#target.evaluate((session) => {
        const row = document.querySelector<HTMLElement>(`nav a[href="/s/${session}"]`);
        row?.click();
        return row !== null;
      }, id),
    );
  }

  /** Types into the message field, as a keyboard does. */
  async write(text: string): Promise<void> {
    await this.until("a field to write in", () =>
      this.#target.evaluate(() => {
        const field = document.querySelector<HTMLTextAreaElement>("form textarea");
        if (field === null || field.disabled || !field.checkVisibility()) return false;
        field.focus();
        field.select();
        return true;
      }),
    );
    await this.#target.send("Input.insertText", { text });
  }

  draft(): Promise<string> {
    return this.#target.evaluate(
      () => document.querySelector<HTMLTextAreaElement>("form textarea")?.value ?? "",
    );
  }

  async toTop(): Promise<void> {
    await this.#target.evaluate((label) => {
      document.querySelector(`[aria-label="${label}"]`)?.scrollTo({ top: 0 });
    }, regions.transcript);
  }

  /** Presses an expandable row of the transcript that contains `word`. */
  async pressInTranscript(word: string): Promise<void> {
    await this.#pressIn(`[aria-label="${regions.transcript}"] button[aria-expanded]`, word);
  }

  async pressInTimeline(word: string): Promise<void> {
    await this.#pressIn(".timeline button", word);
  }

  async #pressIn(selector: string, word: string): Promise<void> {
    await this.until(`"${word}" to press`, () =>
      this.#target.evaluate(
        ([all = "", wanted = ""]) => {
          const found = [...document.querySelectorAll<HTMLElement>(all)].find((one) =>
            one.innerText.includes(wanted),
          );
          found?.click();
          return found !== undefined;
        },
        [selector, word],
      ),
    );
  }

  /** Scrolls with the mouse wheel over the middle of the page. */
  async wheel(deltaY: number): Promise<void> {
    await this.#target.send("Input.dispatchMouseEvent", {
      type: "mouseWheel",
      x: 150,
      y: 300,
      deltaX: 0,
      deltaY,
    });
  }

  /** Waits until the transcript stops moving. */
  async settled(): Promise<void> {
    let last = Number.NaN;
    await this.until("a transcript that stands still", async () => {
      const now = await this.#target.evaluate(async (label) => {
        for (let n = 0; n < 10; n++) await new Promise((drawn) => requestAnimationFrame(drawn));
        return document.querySelector(`[aria-label="${label}"]`)?.scrollTop ?? 0;
      }, regions.transcript);
      const isStill = now === last;
      last = now;
      return isStill;
    });
  }

  /** Opens everything on the screen that can be expanded. */
  async openAll(): Promise<void> {
    await this.#target.evaluate(async (label) => {
      const closed = `[aria-label="${label}"] button[aria-expanded=false]:not([disabled])`;
      for (const button of document.querySelectorAll<HTMLElement>(closed)) button.click();
      // Two frames: one to draw the opened rows, one for what they load.
      for (let n = 0; n < 2; n++) await new Promise((drawn) => requestAnimationFrame(drawn));
    }, regions.transcript);
  }

  /** Scrolls the transcript down by one screen; true at its end. */
  pageDown(): Promise<boolean> {
    return this.#target.evaluate(async (label) => {
      const log = document.querySelector(`[aria-label="${label}"]`);
      if (log === null) return true;
      const before = log.scrollTop;
      log.scrollBy({ top: log.clientHeight * 0.8 });
      for (let n = 0; n < 2; n++) await new Promise((drawn) => requestAnimationFrame(drawn));
      return log.scrollTop <= before;
    }, regions.transcript);
  }

  /** Number of dialogs, alerts and toasts. */
  interruptions(): Promise<number> {
    const intrusive = "[role=alert], [role=alertdialog], [role=dialog], [data-sonner-toast]";
    return this.#target.evaluate((all) => document.querySelectorAll(all).length, intrusive);
  }

  #isVisible(): Promise<boolean> {
    return this.#target.evaluate(() => document.visibilityState === "visible");
  }

  async #watch(): Promise<void> {
    const { errors, blocked, ran, strayed } = this.faults;
    const target = this.#target;
    target.on<Thrown>("Runtime.exceptionThrown", ({ exceptionDetails: { text, exception } }) =>
      errors.push(exception?.description ?? text),
    );
    target.on<Logged>("Runtime.consoleAPICalled", ({ type, args }) => {
      if (type === "error") errors.push(args.map((arg) => arg.value ?? arg.description).join(" "));
    });
    target.on<{ name: string; payload: string }>("Runtime.bindingCalled", ({ name, payload }) =>
      (name === "scriptRan" ? ran : blocked).push(payload),
    );
    target.on<{ type: string }>("Page.javascriptDialogOpening", ({ type }) => ran.push(type));
    target.on<{ request: { url: string } }>("Network.requestWillBeSent", ({ request: { url } }) => {
      if (!url.startsWith(`${this.#origin}/`) && !url.startsWith("data:")) strayed.push(url);
    });
    target.on("Page.domContentEventFired", () => {
      this.loads += 1;
    });
    await Promise.all([
      target.send("Page.enable"),
      target.send("Runtime.enable"),
      target.send("Network.enable"),
      target.send("Runtime.addBinding", { name: "scriptRan" }),
      target.send("Runtime.addBinding", { name: "policyBlocked" }),
      target.send("Page.addScriptToEvaluateOnNewDocument", { source: reporter }),
    ]);
  }
}

interface Thrown {
  readonly exceptionDetails: {
    readonly text: string;
    readonly exception?: { readonly description?: string };
  };
}

interface Logged {
  readonly type: string;
  readonly args: readonly { readonly value?: unknown; readonly description?: string }[];
}

function holds(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === "string" ? text.includes(wanted) : wanted.test(text);
}

/** Answers false for errors while a document is being replaced; other errors are thrown. */
function isLoading(error: Error): false {
  if (/context was destroyed|Cannot find context|of null|navigated or closed/.test(error.message))
    return false;
  throw error;
}
