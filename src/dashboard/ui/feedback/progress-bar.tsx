import { classes } from '../classes.ts'

/** How much of something is done, or used; `bad` where that calls for somebody. */
export const ProgressBar = ({
  label,
  done,
  of,
  bad = false,
}: {
  label: string
  done: number
  of: number
  bad?: boolean
}) => {
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
        className={classes('h-full rounded-full transition-[width]', bad ? 'bg-bad' : 'bg-accent-fill')}
        style={{ width: `${part * 100}%` }}
      />
    </div>
  )
}
