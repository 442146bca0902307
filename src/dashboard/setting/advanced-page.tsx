import { useProject } from '../project/project.ts'
import { CompatibilityCards } from './compatibility-cards.tsx'
import { DeleteCard } from './delete-card.tsx'
import { PauseCard } from './pause-card.tsx'
import { TransferCard } from './transfer-card.tsx'
import { useTitle } from './use-title.ts'

export function AdvancedPage() {
  const project = useProject()
  useTitle(`${project.name} advanced settings`)
  return (
    <>
      <PauseCard project={project} />
      <TransferCard project={project} />
      <DeleteCard project={project} />
      <CompatibilityCards project={project} />
    </>
  )
}
