/** The product's logo: one knot of the line. */
export function Logo({ className = "size-5" }: { readonly className?: string }) {
  return (
    <svg viewBox="0 0 20 20" className={className} aria-hidden="true">
      <g fill="none" stroke="var(--alive-line)" strokeWidth="2" strokeLinecap="round">
        <path d="M10 1v3M10 16v3" />
        <path d="M10 4c4.6 1.5 4.6 4.5 0 6s-4.6 4.5 0 6" />
        <path d="M10 4c-4.6 1.5-4.6 4.5 0 6s4.6 4.5 0 6" />
      </g>
    </svg>
  );
}
