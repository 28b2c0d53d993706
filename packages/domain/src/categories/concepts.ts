/** Categories of the group Concepts, in the notation of ../registry. */
export const concepts = {
  ability: `
    Mechanics: activation duration# potency#..100 range# effects>phenomenon* challenges talents>trait*
      requisites>construct*
    World: prevalence tradition>construct source>phenomenon locus>location instruments>object*
      systems>construct*
  `,
  trait: `
    Qualitative: social_effects physical_effects functional_effects personality_effects behaviour_effects
    Quantitative: charisma#-100..100 coercion#-100..100 competence#-100..100 compassion#-100..100
      creativity#-100..100 courage#-100..100
    World: significance anti_trait>trait empowered_abilities>ability*
  `,
  title: `
    Mandate: authority eligibility grant_date# revoke_date# issuer>institution body>institution
      superior_title>title holders>character* symbols>object*
    World: status history characters>character* institutions>institution* families>family* zones>zone*
      locations>location* objects>object* constructs>construct* laws>law* collectives>collective*
      creatures>creature* phenomena>phenomenon* species>species* languages>language*
  `,
  language: `
    Structure: phonology grammar lexicon writing classification>construct
    World: status spread>location* dialects>language*
  `,
  law: `
    Code: declaration purpose date# parent_law>law penalties>construct*
    World: author>institution locations>location* zones>zone* prohibitions>construct* adjudicators>title*
      enforcers>title*
  `,
  institution: `
    Foundation: doctrine founding_date# parent_institution>institution
    Claims: zones>zone* objects>object* creatures>creature*
    World: status allies>institution* adversaries>institution* constructs>construct*
  `,
} as const
