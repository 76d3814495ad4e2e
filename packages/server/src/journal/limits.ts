/** Limits that every store enforces, so that one event, read or burst cannot slow down the others. */

/** Larger output is stored as a preview plus a blob; see design.md §3. */
export const maxEventBytes = 256 * 1024;

/** A read of this size occupies a store's reader for well under a millisecond. */
export const maxSliceEvents = 1000;
export const maxSliceBytes = 256 * 1024;

/** Above this the journal is not `ready`: the host stops reading from holders until appends catch up. */
export const maxBytesInFlight = 8 * 1024 * 1024;
