/** Categories of the group Entities, in the notation of ../registry. */
export const entities = {
  character: `
    Constitution: physicality mentality height# weight# species>species* traits>trait* abilities>ability*
    Origins: background motivations birth_date# birthplace>location languages>language*
    World: reputation location>location objects>object* institutions>institution*
    Personality: charisma#0..100 coercion#0..100 competence#0..100 compassion#0..100 creativity#0..100
      courage#0..100
    Social: family>family* friends>character* rivals>character*
    TTRPG: level# hit_points# STR# DEX# CON# INT# WIS# CHA#
  `,
  creature: `
    Biology: appearance weight# height# species>species*
    Behavior: habits demeanor traits>trait* abilities>ability* languages>language*
    World: status birth_date# location>location zone>zone
    TTRPG: challenge_rating# hit_points# armor_class# speed# actions>ability*
  `,
  species: `
    Biology: appearance life_span# weight# nourishment>species* reproduction>construct* adaptations>ability*
    Psychology: instincts sociality temperament communication aggression#0..100 traits>trait*
    World: role parent_species>species locations>location* zones>zone* affinities>phenomenon*
  `,
  family: `
    Identity: spirit history traditions>construct* traits>trait* abilities>ability* languages>language*
      ancestors>character*
    World: reputation estates>location* governs>institution* heirlooms>object* creatures>creature*
  `,
  collective: `
    Formation: composition count# formation_date# operator>institution equipment>object*
    Dynamics: activity disposition state abilities>ability* symbolism>construct*
    World: species>species* characters>character* creatures>creature* phenomena>phenomenon*
  `,
} as const
