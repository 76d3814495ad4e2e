export const LONGEST: number;

export function messageProblems(message: string): string[];
