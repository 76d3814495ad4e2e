export function picture(): string;
