import { Checkbox } from '../ui/control/field.tsx'
import { EVENTS } from './event-types.ts'

export const EventBoxes = ({
  chosen,
  onChange,
}: {
  chosen: readonly string[]
  onChange: (chosen: readonly string[]) => void
}) => (
  <fieldset>
    <legend className="mb-1.5 text-sm font-medium">Events</legend>
    <div className="grid gap-2">
      {EVENTS.map(({ type, says }) => (
        <Checkbox
          key={type}
          label={
            <span>
              {says} <code className="text-xs text-soft">{type}</code>
            </span>
          }
          checked={chosen.includes(type)}
          onChange={(on) => onChange(on ? [...chosen, type] : chosen.filter((each) => each !== type))}
        />
      ))}
    </div>
  </fieldset>
)
