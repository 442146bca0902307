/** Text as it is, in lines that wrap; a long one can be scrolled, by keys too. */
export const CodeBlock = ({ label, children }: { label: string; children: string }) => (
  <section
    aria-label={label}
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls has to be reached by keys
    tabIndex={0}
    className="max-h-96 overflow-y-auto rounded-lg border border-line bg-bg p-3"
  >
    <pre className="font-mono text-[0.8125rem] break-all whitespace-pre-wrap">{children}</pre>
  </section>
)
