import { Component } from '@angular/core'
import { bootstrapApplication } from '@angular/platform-browser'

@Component({ selector: 'app-root', template: '<h1>Angular greets {{ name }}</h1>' })
class Root {
  name = 'everybody'
}

bootstrapApplication(Root)
