import { useQuery } from '@tanstack/react-query'
import { listProjects } from '#contract/api/project.ts'
import { type Account, useAccount } from '../api/account.tsx'
import { Checkbox } from '../ui/control/field.tsx'

/** As many as the API lists at once. */
const PAGE = 100

async function allProjects({ client }: Account, signal: AbortSignal) {
  const all: { readonly id: string; readonly name: string }[] = []
  for (let until: number | undefined; ; ) {
    const query = { limit: PAGE, ...(until === undefined ? {} : { until }) }
    const { projects, pagination } = await client.call(listProjects, { query, signal })
    all.push(...projects)
    if (pagination.next === null) return all
    until = pagination.next
  }
}

/** Chooses some projects, or by choosing none, all of them. */
export function ProjectBoxes({
  chosen,
  onChange,
  label = 'Projects',
}: {
  /** Ids. */
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
  label?: string
}) {
  const account = useAccount()
  const { data } = useQuery({
    queryKey: [account.id, 'project', 'all'],
    queryFn: ({ signal }) => allProjects(account, signal),
  })
  // What was deleted or given away keeps its box for as long as it is chosen: it is refused until it is unchecked.
  const gone = data ? chosen.filter((id) => !data.some((project) => project.id === id)) : []
  const projects = [...gone.map((id) => ({ id, name: `${id} (no longer in this account)` })), ...(data ?? [])]
  return (
    <fieldset>
      <legend className="text-sm font-medium">{label}</legend>
      <p className="mb-1.5 text-sm text-soft">
        Leave all unchecked to include every project, also future ones.
      </p>
      <div className="grid max-h-40 gap-2 overflow-y-auto">
        {projects.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={<span className="break-all">{name}</span>}
            checked={chosen.includes(id)}
            onChange={(on) => onChange(on ? [...chosen, id] : chosen.filter((each) => each !== id))}
          />
        ))}
      </div>
    </fieldset>
  )
}
