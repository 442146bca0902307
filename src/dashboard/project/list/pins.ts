import { useAccount } from '../../api/account.tsx'
import { useRemembered } from '../../shell/remembered.ts'

const MOST = 24

/** The projects that somebody wants first, by id; each browser and account has its own. */
export function usePins() {
  const { id } = useAccount()
  const [text, setText] = useRemembered(`aloft-pins-${id}`)
  const pinned = text === '' ? [] : text.split(',')
  return {
    pinned,
    toggle: (projectId: string) =>
      setText(
        (pinned.includes(projectId)
          ? pinned.filter((each) => each !== projectId)
          : [...pinned, projectId].slice(-MOST)
        ).join(','),
      ),
  }
}
