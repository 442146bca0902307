import { useAllProjects } from '../api/lists.ts'
import { Checkbox } from '../ui/control/field.tsx'

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
  const all = useAllProjects()
  // What was deleted or given away keeps its box for as long as it is chosen: it is refused until it is unchecked.
  const gone = all ? chosen.filter((id) => !all.some((project) => project.id === id)) : []
  const projects = [...gone.map((id) => ({ id, name: `${id} (no longer in this account)` })), ...(all ?? [])]
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
