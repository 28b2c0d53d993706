/** Suggested supertypes and subtypes of the group Content, in the notation of ../typing. */
export const content = {
  event: `
    Construction:
    Cultural: Signal Journey Expression Transformation
    Future:
    Historical: Consequential Procedural Transformative Offensive Defensive Silent
    Knowledge: Receive Exchange Supply Steal
    Military: Summon Assignment Deployment Invasion War Assault Infrastructure Assist
    Natural: Personal: Political:
    Professional: Promotion Resignation Achievement Disaster
    Scientific: Construction Temporal Atemporal Gravitational Physical
    Situation: Social Noise Movement Crisis Confrontation Discovery Change Stasis Tension Expedition Resolution
      Revolution
    Violence:
  `,
  narrative: `
    Record: Chapter: Scene: Act:
  `,
  object: `
    Component: Structural Mechanical Storage Aesthetic Functional Modular Electronic
    Construction: Mechanical Monument Landmark Infrastructure Shelter
    Information: Document Transmission DataStorage Recording Engraving Map Archive Cipher
    Item: Weapon Wearable Artifact Instrument Consumable Storage Draggable
    Machine: Operation Security Communication Generation Fabrication Transport AudioVisual
    Resource: Edible Natural Currency Harvestable Raw Processed Alive
    System: Storage Operations Security Surveillance Communication Generation Manufacturing Transport
    Tool: Crafting Measuring Agricultural Medical Survival Scientific Culinary Mechanical Technological Artistic
    Vehicle: Wagon Bike Car Boat Ship Copter Aircraft Spacecraft Transport
  `,
  phenomenon: `
    Natural: Supernatural: Conceptual: Temporal: Magical: Barrier: Biological: Chemical: Cosmic: Energy:
    Entity: Physical Abstract Supernatural Artifical Animate
    Geological: Accumulation Erosion Drift Igneous Glaciation
    Meteorological: Atmosphere Precipitation Storm Radiation Temperature Discharge Wind
    Social:
  `,
  relation: `
    Adverserial: Beneficial: Commercial: Informational: Institutional: International: Personal: Transactional:
  `,
} as const
