using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Configuration;

/// <summary>The block <c>actors</c>: an actor system of Akka.NET in the worker's process, whose actors persist in its database. Immutable after loading.</summary>
public sealed class ActorsConfiguration
{
    /// <summary>The actor system's name.</summary>
    [Setting("Name of the actor system.")]
    public string System { get; init; } = "pipeline";

    /// <summary>The class that starts the actors.</summary>
    [Setting("Full name of the class that starts the actors, a public one that implements IActorStarter and is made without arguments.", Required = true)]
    public string Start { get; init; } = "";

    /// <summary>The assembly of that class; absolute after loading.</summary>
    [Setting("The .dll with that class, beside what it needs. Relative to this file. Without it the class is looked for in the program itself.")]
    public string? Assembly { get; internal set; }

    /// <summary>A file of HOCON; absolute after loading.</summary>
    [Setting("File of Akka's settings (HOCON), which precede those of the worker. Relative to this file.")]
    public string? Hocon { get; internal set; }

    /// <summary>The collection of the events' documents.</summary>
    [Setting("Collection in which events whose payload is JSON are documents, for queries and tasks; empty for none.")]
    public string Documents { get; init; } = "Events";

    /// <summary>How many snapshots stay.</summary>
    [Setting("How many of the newest snapshots of an actor stay; 0 for all.", Minimum = 0, Maximum = 1_000)]
    public int KeepSnapshots { get; init; }

    /// <summary>Whether events before the kept snapshots go.</summary>
    [Setting("Whether events that all kept snapshots contain are deleted. Needs keepSnapshots.")]
    public bool DeleteEvents { get; init; }
}
