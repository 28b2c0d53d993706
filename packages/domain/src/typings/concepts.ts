/** Suggested supertypes and subtypes of the group Concepts, in the notation of ../typing. */
export const concepts = {
  ability: `
    Combat: Melee Ranged Defensive Tactical
    Magical: Elemental Enchantment Summoning Divination
    Mental: Perception Memory Influence Focus
    Musical: Vocal String Wind Percussion Mixed
    Physical: Movement Strength Endurance Coordination
    Social: Persuasion Intimidation Deception Performance
    Professional: Healing Crafting Engineering Strategy
    Spiritual: Blessing Curse Invocation Meditation
    Survival: Foraging Tracking Weathering Navigation
    Transformative: Bodily Mental Environmental
    Technological: Interface Augmentation Weaponized Computational
  `,
  trait: `
    Emotional: Intellectual: Moral: Physical: Social: Temperament: Ambition: Dread:
  `,
  title: `
    Administration: Executive Managerial Supervisory
    Ceremonial: Trophy Symbolic Honorary Ritualistic
    Diplomatic: Envoy Negotiator Emissary
    Foundership: Creator Inventor Pioneer Originator Architect
    Leadership: Sovereign Commanding Executive NonCommissioned
    Ownership: Proprietor Landlord Patron Holder
  `,
  language: `
    Artificial: Natural: Symbolic: Visual: Hybrid:
  `,
  law: `
    Administrative: Civil: Criminal: Environmental: International: Judicial: Maritime: Military: Monetary:
  `,
  institution: `
    Conglomerate: Syndicate Holding Multinational
    Culture: Heritage Artistic Educational Religious
    Division: Executive Advisory Governance Administrative Operational Diplomatic Strategic Tactical
    Enterprise: Commercial Spiritual Industrial Agricultural Service
    Faction: Political Militant Insurgent Guild Technocratic
    Familial: Biological Nuclear Adoptive Ancestral Extended Dynasty Bloodline
    Military: Army Navy Militia Defensive Expeditionary Marine SpecialOps Intelligence Engineering Medical
      Logistical Communication Space Template
    Organization: Governmental Military Spiritual Research Cooperative Regulatory Nonprofit
    Sovereignty: Imperial Monarchy Federated National Statehood Unilateral Consortium
  `,
} as const
