/** Suggested supertypes and subtypes of the group Entities, in the notation of ../typing. */
export const entities = {
  character: `
    Animal: Antagonist: Entity: God: Historical: Human: Humanoid: NPC: Protagonist: Unidentified:
  `,
  creature: `
    Alien: Scary Spooky
    Animal: Herbivore Carnivore Omnivore Dinosaur Bird Insect Reptile Mammal
    Monster: Flying Landbound Waterbound
    Entity: Corporal Immaterial Mythical Celestial
  `,
  species: `
    Class: Fauna: Flora: Genus: Order: Race:
  `,
  family: `
    Adoptive: Ancestral: Biological: Bloodline: Dynasty: Extended: Nuclear:
  `,
  collective: `
    Assembly: Crowd Gathering Congregation Celebration Mob
    Pack: Survivors Hunters Foragers Scouts
    Fleet: Flotilla Navy Support Marauder Migration
    Outfit: Military Mercenary Militia Raider Rebel
    Population: Settler Resident Commune Nomad
    Retinue: Entourage Servants HonorGuard Court
    Workforce: Scattered Guild Brigade Research Cooperative Crew
  `,
} as const
