import { Dialog } from '../ui/dialog/dialog.tsx'

/** The keys that work on every page. */
export const Shortcuts = ({ isMac, onClose }: { isMac: boolean; onClose: () => void }) => (
  <Dialog title="Keyboard shortcuts" onClose={onClose}>
    <dl className="grid grid-cols-[1fr_auto] items-center gap-x-6 gap-y-3 text-sm">
      {[
        ['Search pages, settings, projects, deployments and domains', isMac ? '⌘ K' : 'Ctrl K'],
        ['Search on this page', '/'],
        ['Show keyboard shortcuts', '?'],
        ['Move between results, open one', '↑ ↓ Enter'],
        ['Close a dialog or menu', 'Esc'],
      ].map(([what, keys]) => (
        <div key={what} className="contents">
          <dt>{what}</dt>
          <dd>
            <kbd className="rounded-md border border-line bg-bg px-2 py-1 font-mono text-xs">{keys}</kbd>
          </dd>
        </div>
      ))}
    </dl>
  </Dialog>
)
