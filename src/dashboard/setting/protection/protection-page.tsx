import { useProject } from '../../project/project.ts'
import { useTitle } from '../use-title.ts'
import { PasswordCard, SignOnCard } from './access-cards.tsx'
import { BypassCard } from './bypass-card.tsx'
import { OptionsCard, TrustedCard } from './network-cards.tsx'

/** Who may visit the sites of a project. A change takes effect immediately, on every host. */
export function ProtectionPage() {
  const project = useProject()
  useTitle(`${project.name} protection`)
  const { passwordProtection, ssoProtection, trustedIps, optionsAllowlist } = project
  // A form begins anew when what is set has changed.
  return (
    <>
      <PasswordCard key={`password ${passwordProtection?.deploymentType}`} project={project} />
      <SignOnCard key={`sso ${ssoProtection?.deploymentType}`} project={project} />
      <TrustedCard key={`ips ${JSON.stringify(trustedIps)}`} project={project} />
      <OptionsCard key={`options ${JSON.stringify(optionsAllowlist)}`} project={project} />
      <BypassCard project={project} />
    </>
  )
}
