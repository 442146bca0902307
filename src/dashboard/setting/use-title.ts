import { useEffect } from 'react'

/** Names a page of the settings in the browser's tab; the frame has the heading. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} · Aloft`
  }, [title])
}
