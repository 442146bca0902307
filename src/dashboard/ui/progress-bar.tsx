/** How much of something is done. */
export const ProgressBar = ({ label, done, of }: { label: string; done: number; of: number }) => {
  const part = of === 0 ? 1 : Math.min(done / of, 1)
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(part * 100)}
      className="h-2 overflow-hidden rounded-full bg-hover"
    >
      <div
        className="h-full rounded-full bg-accent-fill transition-[width]"
        style={{ width: `${part * 100}%` }}
      />
    </div>
  )
}
