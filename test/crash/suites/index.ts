import type { Suite } from "../../long/suite.ts";
import { backup } from "./backup.ts";
import { clock } from "./clock.ts";
import { corrupt } from "./corrupt.ts";
import { interrupt } from "./interrupt.ts";
import { iofault } from "./iofault.ts";
import { killsweep } from "./killsweep.ts";
import { mutants } from "./mutants.ts";
import { once } from "./once.ts";
import { phantom } from "./phantom.ts";
import { powercut } from "./powercut.ts";

/** In order: suites that others rely on come first. */
export const suites: readonly Suite[] = [
  killsweep,
  phantom,
  powercut,
  iofault,
  corrupt,
  interrupt,
  once,
  clock,
  backup,
  mutants,
];
