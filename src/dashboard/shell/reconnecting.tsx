import { useIsConnectionLost } from '../api/connection.ts'
import { Spinner } from '../ui/feedback/spinner.tsx'

/** Over every page while the server cannot be reached: what is shown stays, and catches up afterwards. */
export const Reconnecting = () => (
  <div role="status" className="pointer-events-none fixed inset-x-0 top-0 z-50 flex justify-center">
    {useIsConnectionLost() && (
      <p className="flex items-center gap-2.5 rounded-b-xl bg-warn-soft px-4 py-2 text-sm font-medium text-warn shadow-lg">
        <Spinner />
        Reconnecting… This page may be out of date.
      </p>
    )}
  </div>
)
