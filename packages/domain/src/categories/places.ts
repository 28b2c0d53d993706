/** Categories of the group Places, in the notation of ../registry. */
export const places = {
  location: `
    Setting: form function founding_date# parent_location>location populations>collective*
    Politics: political_climate primary_power>institution governing_title>title secondary_powers>institution*
      zone>zone rival>location partner>location
    World: customs founders>character* cults>construct* delicacies>species*
    Production: extraction_methods>construct* extraction_goods>construct* industry_methods>construct*
      industry_goods>construct*
    Commerce: infrastructure extraction_markets>location* industry_markets>location* currencies>construct*
    Construction: architecture buildings>object* building_methods>construct*
    Defense: defensibility elevation# fighters>construct* defensive_objects>object*
  `,
  zone: `
    Scope: role start_date# end_date# phenomena>phenomenon* linked_zones>zone*
    World: context populations>collective* titles>title* principles>construct*
  `,
  construct: `
    Nature: rationale history status reach start_date# end_date# founder>character custodian>institution
    Involves: characters>character* objects>object* locations>location* species>species* creatures>creature*
      institutions>institution* traits>trait* collectives>collective* zones>zone* abilities>ability*
      phenomena>phenomenon* languages>language* families>family* relations>relation* titles>title*
      constructs>construct* events>event* narratives>narrative*
  `,
  map: `
    Details: background_color hierarchy# width# height# depth# parent_map>map location>location
  `,
  pin: `
    Details: map>map element_type~ element_id~ x# y# z#
  `,
  marker: `
    Details: map>map zone>zone x# y# z# order#
  `,
} as const
