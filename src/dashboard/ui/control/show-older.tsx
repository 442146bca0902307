import type { Pages } from '../../api/query.ts'
import { Button } from './button.tsx'

/** Under a list that may go on. */
export const ShowOlder = ({ pages }: { pages: Pick<Pages<unknown>, 'more' | 'busy' | 'showOlder'> }) =>
  pages.more && (
    <div className="flex justify-center border-t border-line p-3">
      <Button size="small" busy={pages.busy} onClick={pages.showOlder}>
        Load more
      </Button>
    </div>
  )
