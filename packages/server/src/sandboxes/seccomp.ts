/**
 * A seccomp filter in the kernel's own bytes. It refuses what neither namespaces nor missing
 * capabilities refuse: new user namespaces (bubblewrap can switch them off only from version 0.8 on
 * and only inside one of its own), the keyrings of the person who started the host, and typing into
 * a terminal.
 */

interface Numbers {
  readonly arch: number;
  /** The first number of a second set of system calls on the same machine. */
  readonly others?: number;
  readonly clone: number;
  readonly unshare: number;
  readonly ioctl: number;
  readonly clone3: number;
  /** setns, add_key, request_key, keyctl, bpf, perf_event_open, userfaultfd. */
  readonly refused: readonly number[];
}

const numbers: Readonly<Record<string, Numbers>> = {
  x64: {
    arch: 0xc000_003e,
    others: 0x4000_0000,
    clone: 56,
    unshare: 272,
    ioctl: 16,
    clone3: 435,
    refused: [308, 248, 249, 250, 321, 298, 323],
  },
  arm64: {
    arch: 0xc000_00b7,
    clone: 220,
    unshare: 97,
    ioctl: 29,
    clone3: 435,
    refused: [268, 217, 218, 219, 280, 241, 282],
  },
};

const NEW_USER_NAMESPACE = 0x1000_0000;
/** TIOCSTI and TIOCLINUX. */
const TYPING = [0x5412, 0x541c];

const EPERM = 1;
/** C libraries fall back to an older call when one is unknown. */
const ENOSYS = 38;

const ALLOW = 0x7fff_0000;
const failing = (error: number) => 0x0005_0000 | error;

/** Offsets in the kernel's `seccomp_data`: the number, the architecture, the low words of arguments. */
const NUMBER = 0;
const ARCHITECTURE = 4;
const argument = (n: number) => 16 + 8 * n;

const LOAD = 0x20;
const EQUALS = 0x15;
const AT_LEAST = 0x35;
const HAS_BIT = 0x45;
const RETURN = 0x06;

type Step = readonly [code: number, value: number, whenTrue?: number, whenFalse?: number];

/** Null for a processor whose numbers are not known here. */
export function seccompFilter(arch: string): Buffer | null {
  const known = numbers[arch];
  if (known === undefined) return null;
  const steps: Step[] = [
    [LOAD, ARCHITECTURE],
    [EQUALS, known.arch, 1, 0],
    [RETURN, failing(ENOSYS)],
    [LOAD, NUMBER],
    ...(known.others === undefined ? [] : returnIf(AT_LEAST, known.others, ENOSYS)),
    ...returnIf(EQUALS, known.clone3, ENOSYS),
    ...known.refused.flatMap((number) => returnIf(EQUALS, number, EPERM)),
    ...onCall(known.clone, 0, returnIf(HAS_BIT, NEW_USER_NAMESPACE, EPERM)),
    ...onCall(known.unshare, 0, returnIf(HAS_BIT, NEW_USER_NAMESPACE, EPERM)),
    ...onCall(
      known.ioctl,
      1,
      TYPING.flatMap((request) => returnIf(EQUALS, request, EPERM)),
    ),
    [RETURN, ALLOW],
  ];
  return Buffer.concat(steps.map(bytesOf));
}

function returnIf(test: number, value: number, error: number): Step[] {
  return [
    [test, value, 0, 1],
    [RETURN, failing(error)],
  ];
}

/** Steps on an argument of one call; all others jump over them. */
function onCall(number: number, position: number, steps: readonly Step[]): Step[] {
  return [
    [EQUALS, number, 0, steps.length + 2],
    [LOAD, argument(position)],
    ...steps,
    [RETURN, ALLOW],
  ];
}

function bytesOf([code, value, whenTrue = 0, whenFalse = 0]: Step): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt16LE(code, 0);
  bytes.writeUInt8(whenTrue, 2);
  bytes.writeUInt8(whenFalse, 3);
  bytes.writeUInt32LE(value >>> 0, 4);
  return bytes;
}
