import {
  type BootstrapContext,
  bootstrapApplication,
  provideClientHydration,
} from '@angular/platform-browser'
import { provideRouter } from '@angular/router'
import { provideServerRendering, RenderMode, withRoutes } from '@angular/ssr'
import { App, routes } from './app'

const rendered = withRoutes([
  { path: 'about', renderMode: RenderMode.Prerender },
  { path: '**', renderMode: RenderMode.Server },
])
const providers = [provideRouter(routes), provideClientHydration(), provideServerRendering(rendered)]

export default (context: BootstrapContext) => bootstrapApplication(App, { providers }, context)
