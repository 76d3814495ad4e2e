/** Things asked of the host at once: which is under way, and what one was refused with. */

import { useState } from "react";
import { problemField, problemWords } from "../words/problem.ts";

export interface DoingProblem<What extends string> {
  readonly what: What;
  readonly words: string;
  /** The part of the request that it was about, where it was about one. */
  readonly field: string | null;
}

export interface Doing<What extends string> {
  readonly busy: What | null;
  readonly problem: DoingProblem<What> | null;
}

export interface UsedDoing<What extends string> extends Doing<What> {
  /** True when the host did it. */
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
