import { updateDataCache } from '#contract/api/project.ts'
import { useAction } from '../../api/query.ts'
import type { Project } from '../../project/project.ts'
import { Switch } from '../../ui/control/field.tsx'
import { Card } from '../../ui/layout/card.tsx'

export function DataCacheCard({ project }: { project: Project }) {
  const change = useAction(
    (disabled: boolean, { client }) =>
      client.call(updateDataCache, { params: { projectId: project.id }, body: { disabled } }),
    { changes: ['project'], done: 'Saved.' },
  )
  const off = change.isPending ? change.variables : project.dataCache.userDisabled
  return (
    <Card
      title="Data cache"
      about="Function responses that may be cached are kept at the edge for all visitors. When off, every request reaches the function."
    >
      <Switch
        label="Cache function responses"
        checked={!off}
        disabled={change.isPending}
        onChange={(on) => change.mutate(!on)}
      />
    </Card>
  )
}
