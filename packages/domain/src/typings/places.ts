/** Suggested supertypes and subtypes of the group Places, in the notation of ../typing. */
export const places = {
  location: `
    Anomalous: Mysterious Temporal Dimensional Magical Physical
    Biome: Desert Forest Tundra Jungle Ocean River Swamp Marsh Bog
    Building: Residential Civic Religious Entertainment Educational Hospitality Governmental Transport
    Celestial: Galaxy System Stellar World Planet Moon Body
    Commercial: Market Port District Post Park Hub
    Cultural: Artistic Academic Spiritual Commemorative Recreational
    Defensive: Stronghold Camp Emplacement Concealment
    Generative: Agriculture Collection Extraction Renewable
    Geographical: Water Island Continental Plains MountainRange Hills Valley Ridge Glacier Liquid
    Industrial: Manufacturing Processing Construction Energy Research Logistics Waste Manipulation
    Natural: Geomorphic Hydrologic Botanical Zoological Geothermal
    Political:
    Protective: Peak Mountain Hill Ridge Walkway Water Fissure Space
    Settlement: Capital Metropolis City Town Village Hamlet District Dwelling Logistical Outpost Abandoned
  `,
  zone: `
    Line: Polygon:
  `,
  construct: `
    Activity: Industry Commerce Creation Reaction Control Summon Violence Negation
    Compensation: Physical Abstract Supernatural Artifical Animate
    Composition: Material Conceptual Cultural Genetic Chemical Numeral Creative Recipe
    Dilemma: Ethical Practical Political Intelligence Strategic Tactical
    History: Cultural Personal Professional Sociological Psychological Economic Military Technological Environmental
    Information: Myth Lore Knowledge Data Spatial
    Object: Resource Item Vehicle Machine Tool Component Construct System Information
    Occupation: Professional Vocational Service Administrative Academic Military Serfdom
    Political: Governance Election Assignment Pressure
    Punishment: Criminal Professional Personal Malicious
    Religion: Worship Mythos Doctrine Canon Sect Ritual Dogma Symbolism Ethics
    Situation: Social Employment Competition Title Acquisition Achievement Stasis Revenge
    Social: Identity Beauty Gender Race Norm Hierarchy
    Solution: Industrial Remedial Preventative Optimizing Innovative Adapative Destructive
    Technology: Security Communication Operation Construction Military Transport Propulsion Gateway
    Title: Ownership Leadership Foundership Administration Diplomatic Ceremonial
  `,
  pin: `
    Standard: Custom:
  `,
  marker: `
    Road: River: Terrain: Zone:
  `,
} as const
