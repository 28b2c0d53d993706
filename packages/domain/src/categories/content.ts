/** Categories of the group Content, in the notation of ../registry. */
export const content = {
  event: `
    Nature: history challenges consequences start_date# end_date# triggers>event*
    Involves: characters>character* objects>object* locations>location* species>species* creatures>creature*
      institutions>institution* traits>trait* collectives>collective* zones>zone* abilities>ability*
      phenomena>phenomenon* languages>language* families>family* relations>relation* titles>title*
      constructs>construct*
  `,
  narrative: `
    Context: story consequences start_date# end_date# order# parent_narrative>narrative protagonist>character
      antagonist>character narrator>character conservator>institution
    Involves: events>event* characters>character* objects>object* locations>location* species>species*
      creatures>creature* institutions>institution* traits>trait* collectives>collective* zones>zone*
      abilities>ability* phenomena>phenomenon* languages>language* families>family* relations>relation*
      titles>title* constructs>construct* laws>law*
  `,
  object: `
    Form: aesthetics weight# amount# parent_object>object materials>construct* technology>construct*
    Function: utility effects>phenomenon* abilities>ability* consumes>construct*
    World: origins location>location language>language affinities>trait*
  `,
  phenomenon: `
    Mechanics: expression effects duration# catalysts>object* empowerments>ability*
    World: mythology system>phenomenon triggers>construct* wielders>character* environments>location*
  `,
  relation: `
    Nature: background start_date# end_date# intensity#0..100 actor>character events>event*
    Involves: characters>character* objects>object* locations>location* species>species* creatures>creature*
      institutions>institution* traits>trait* collectives>collective* zones>zone* abilities>ability*
      phenomena>phenomenon* languages>language* families>family* titles>title* constructs>construct*
      narratives>narrative*
  `,
} as const
