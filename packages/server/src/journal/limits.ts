/** Bounds every store keeps, so that one event, one read or one burst cannot hurt the others. */

/** Larger output is a preview plus a blob; see design.md §3. */
export const maxEventBytes = 256 * 1024;

/** One read holds a store's reader for well under a millisecond, whatever the caller asked for. */
export const maxSliceEvents = 1000;
export const maxSliceBytes = 256 * 1024;

/** Past this the journal is not `ready`: holders are not read until acknowledgements catch up. */
export const maxBytesInFlight = 8 * 1024 * 1024;
