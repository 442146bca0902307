import { Suspense, useMemo, useState } from 'react'
import { listFiles } from '#contract/api/deployment.ts'
import { count } from '#contract/words/wording.ts'
import { useRead } from '../../api/query.ts'
import { useSearchText } from '../../api/search.ts'
import { TextField } from '../../ui/control/field.tsx'
import { Empty } from '../../ui/feedback/empty.tsx'
import { Skeleton } from '../../ui/feedback/skeleton.tsx'
import { Page } from '../../ui/layout/page.tsx'
import { shortName, useDeployment } from '../deployment.ts'
import { allFiles, firstFile, foldersOf, type TreeEntry, visibleRows } from './file-tree.ts'
import { SourceView } from './source-view.tsx'
import { Tree } from './tree.tsx'

/** The files as they were deployed. */
export function SourcePage() {
  const { id, url } = useDeployment()
  const tree = useRead('deployment', listFiles, { params: { id } }) as readonly TreeEntry[]
  const files = useMemo(() => allFiles(tree), [tree])
  const [chosen, setChosen] = useSearchText('file')
  const [wanted, setWanted] = useState('')
  const file = chosen === '' ? firstFile(files) : files.find(({ path }) => path === chosen)
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(foldersOf(file?.path ?? '')))
  const rows = useMemo(() => {
    const needle = wanted.trim().toLowerCase()
    return needle === ''
      ? visibleRows(tree, open)
      : files.filter(({ path }) => path.toLowerCase().includes(needle))
  }, [tree, files, open, wanted])

  const toggle = (path: string) =>
    setOpen((before) => {
      const after = new Set(before)
      if (!after.delete(path)) after.add(path)
      return after
    })

  return (
    <Page
      title={`${shortName(url, id)} source`}
      heading="Source"
      about={`${count(files.length, 'file')}, as deployed.`}
    >
      <div className="grid overflow-hidden rounded-xl border border-line bg-panel md:grid-cols-[17rem_minmax(0,1fr)]">
        <div className="flex flex-col border-line max-md:border-b md:border-r">
          <div className="border-b border-line p-2">
            <TextField
              label="Search files"
              hideLabel
              type="search"
              placeholder="Search files…"
              value={wanted}
              onChange={setWanted}
            />
          </div>
          <div className="max-h-56 overflow-y-auto md:max-h-[70vh]">
            {rows.length === 0 ? (
              <p className="px-4 py-3 text-sm text-soft">No matching files.</p>
            ) : (
              <Tree rows={rows} chosen={file?.path} onChoose={setChosen} onToggle={toggle} />
            )}
          </div>
        </div>
        {file?.uid === undefined ? (
          <Empty icon="search" title="File not found">
            {chosen !== '' && `This deployment doesn’t contain ${chosen}.`}
          </Empty>
        ) : (
          <Suspense key={file.path} fallback={<Skeleton className="m-4 h-64" />}>
            <SourceView file={{ deploymentId: id, uid: file.uid, path: file.path }} />
          </Suspense>
        )}
      </div>
    </Page>
  )
}
