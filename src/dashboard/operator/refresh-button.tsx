import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { useAccount } from '../api/account.tsx'
import { refresh } from '../api/query.ts'
import { Button } from '../ui/control/button.tsx'

/** Disks and queues tell nobody when they change: these pages are read again when somebody asks. */
export function RefreshButton() {
  const { id } = useAccount()
  const queries = useQueryClient()
  const busy = useIsFetching({ queryKey: [id, 'operator'] }) > 0
  return (
    <Button icon="refresh" busy={busy} onClick={() => void refresh(queries, id, ['operator'])}>
      Refresh
    </Button>
  )
}
