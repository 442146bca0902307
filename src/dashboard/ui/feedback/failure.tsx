import { explain } from '../../api/explain.ts'

/** Why something could not be done; nothing while it could. */
export const Failure = ({ error }: { error: Error | null }) =>
  error && (
    <p role="alert" className="text-sm break-words text-bad">
      {explain(error)}
    </p>
  )
