import type { Page, PageQuery } from '#contract/page.ts'
import type { ProjectDomain } from './project-domain.ts'

export interface ProjectDomainFilter {
  readonly redirects?: boolean
  readonly redirect?: string
  readonly verified?: boolean
  readonly gitBranch?: string
  readonly customEnvironmentId?: string
  /** Only those that show production. */
  readonly production?: boolean
  readonly order: 'ASC' | 'DESC'
}

export interface ProjectDomainStore {
  /** False when the project has the name, or the name is verified elsewhere and this one would be too. */
  add(domain: ProjectDomain): Promise<boolean>
  find(projectId: string, name: string): Promise<ProjectDomain | undefined>
  /** Every project that has the name, verified or not. */
  holders(name: string): Promise<readonly ProjectDomain[]>
  list(projectId: string, page: PageQuery, filter: ProjectDomainFilter): Promise<Page<ProjectDomain>>
  /** All of a project; their number is limited when they are added. */
  ofProject(projectId: string): Promise<readonly ProjectDomain[]>
  /** Those of an account in one domain that somebody can have registered, by name, from after this one. */
  inApex(ownerId: string, apexName: string, after: string, limit: number): Promise<readonly ProjectDomain[]>
  /** False when it is gone, or would be the second verified one of its name. */
  update(
    projectId: string,
    name: string,
    change: Partial<Omit<ProjectDomain, 'projectId' | 'name' | 'apexName' | 'createdAt'>>,
  ): Promise<boolean>
  remove(projectId: string, name: string): Promise<boolean>
}
