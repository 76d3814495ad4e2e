/** One-time requests to the host: which one is in progress, and why the last was refused. */

import { useState } from "react";
import { problemField, problemWords } from "../../words/problem.ts";

interface DoingProblem<What extends string> {
  readonly what: What;
  readonly words: string;
  /** The request field that the refusal is about; null when it is about no single field. */
  readonly field: string | null;
}

interface Doing<What extends string> {
  readonly busy: What | null;
  readonly problem: DoingProblem<What> | null;
}

interface UsedDoing<What extends string> extends Doing<What> {
  /** Resolves to true when the host has done it. */
  readonly run: (what: What, work: () => Promise<unknown>) => Promise<boolean>;
  readonly onSeen: () => void;
}

export function useDoing<What extends string>(): UsedDoing<What> {
  const [doing, setDoing] = useState<Doing<What>>({ busy: null, problem: null });
  return {
    ...doing,
    async run(what, work) {
      setDoing({ busy: what, problem: null });
      try {
        await work();
        setDoing({ busy: null, problem: null });
        return true;
      } catch (error) {
        const problem = { what, words: problemWords(error), field: problemField(error) };
        setDoing({ busy: null, problem });
        return false;
      }
    },
    onSeen: () => setDoing({ busy: null, problem: null }),
  };
}
