import { Component, inject } from '@angular/core'
import { ActivatedRoute, RouterOutlet, type Routes } from '@angular/router'

@Component({ selector: 'app-root', imports: [RouterOutlet], template: '<router-outlet />' })
export class App {}

@Component({ template: '<h1>Angular greets {{ name }}</h1>' })
class Home {
  readonly name = inject(ActivatedRoute).snapshot.queryParamMap.get('name') ?? 'everybody'
}

@Component({ template: '<p>Person {{ name }}</p>' })
class Person {
  readonly name = inject(ActivatedRoute).snapshot.paramMap.get('name')
}

@Component({ template: '<p>About Angular, rendered by the build</p>' })
class About {}

export const routes: Routes = [
  { path: '', component: Home },
  { path: 'people/:name', component: Person },
  { path: 'about', component: About },
]
