import { isNotFound } from '#client/api-error.ts'
import { explain } from '../../api/explain.ts'
import { Button } from '../control/button.tsx'
import { Icon } from '../icon.tsx'
import { withCode } from '../text/with-code.tsx'

/** Instead of what could not be shown: why, and what to do. */
export const Problem = ({ error, retry }: { error: unknown; retry?: (() => void) | undefined }) => (
  <div role="alert" className="flex items-start gap-3 rounded-xl border border-line bg-panel p-5">
    <span className="mt-0.5 text-bad">
      <Icon name="warning" className="size-5" />
    </span>
    <div className="min-w-0 flex-1">
      <p className="font-medium">{isNotFound(error) ? 'Not found' : 'Something went wrong'}</p>
      <p className="mt-1 text-sm break-words text-soft">{withCode(explain(error))}</p>
      {retry !== undefined && (
        <Button size="small" icon="refresh" className="mt-3" onClick={retry}>
          Try again
        </Button>
      )}
    </div>
  </div>
)
