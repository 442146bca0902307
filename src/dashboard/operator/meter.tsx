import { showBytes } from '#contract/amounts.ts'
import { classes } from '../ui/classes.ts'

/** How much is in use of what there is. */
export function Meter({ of: { free, total } }: { of: { free: number; total: number } }) {
  const share = total === 0 ? 0 : (total - free) / total
  return (
    <>
      <p className="mb-2 text-sm">
        <span className="text-2xl font-semibold">{showBytes(free)}</span> free of {showBytes(total)}
      </p>
      {/* A picture of what the line above says. */}
      <div aria-hidden="true" className="h-2 overflow-hidden rounded-full bg-hover">
        <div
          className={classes('h-full rounded-full', share > 0.9 ? 'bg-bad' : 'bg-accent-fill')}
          style={{ width: `${share * 100}%` }}
        />
      </div>
    </>
  )
}
