using Pipeline.Yaml;

namespace Pipeline.Configuration;

/// <summary>
/// The block <c>actors</c>: an actor system of Akka.NET in the worker's process, whose actors persist in its database.
/// Immutable after loading.
/// </summary>
public sealed class ActorsConfiguration
{
    /// <summary>The actor system's name.</summary>
    [Setting("Name of the actor system.")]
    public string System { get; init; } = "pipeline";

    /// <summary>The class that starts the actors.</summary>
    [Setting(
        "Full name of the class that starts the actors. It is public, implements IActorStarter and has a constructor without parameters.",
        Required = true
    )]
    public string Start { get; init; } = "";

    /// <summary>The assembly of that class; absolute after loading.</summary>
    [Setting(
        "The .dll with that class, in a folder with its dependencies. Relative to this file. Without it the class is looked up in the program itself."
    )]
    public string? Assembly { get; internal set; }

    /// <summary>A file of HOCON; absolute after loading.</summary>
    [Setting("File of Akka's settings (HOCON), which override the worker's. Relative to this file.")]
    public string? Hocon { get; internal set; }

    /// <summary>The collection of the events' documents.</summary>
    [Setting("Collection that shows events with a JSON payload as documents, for queries and tasks; empty for none.")]
    public string Documents { get; init; } = "Events";

    /// <summary>How the nodes' actor systems form a cluster; null if only the leader runs actors.</summary>
    [Setting(
        "Has the actor systems of all nodes form one cluster of Akka.NET, whose shards run on the node that leads. Needs the section cluster. Without it, the leader alone runs actors."
    )]
    public ActorsClusterConfiguration? Cluster { get; init; }

    /// <summary>How many snapshots stay.</summary>
    [Setting("How many of an actor's newest snapshots are kept; 0 keeps all.", Minimum = 0, Maximum = 1_000)]
    public int KeepSnapshots { get; init; }

    /// <summary>Whether events before the kept snapshots go.</summary>
    [Setting("Whether to delete events that every kept snapshot already contains. Needs keepSnapshots.")]
    public bool DeleteEvents { get; init; }
}
