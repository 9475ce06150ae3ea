using System.Text.Json.Serialization;

namespace Pipeline.Etl.Configuration;

/// <summary>What a task does about a document that its transform fails on, and a message that its target will never take.</summary>
public enum ErrorPolicy
{
    /// <summary>It becomes a dead letter, and the task goes on.</summary>
    Park,

    /// <summary>As <see cref="Park"/>, and later changes of the same key become dead letters too until the first one is retried or dropped: order per key holds.</summary>
    [JsonStringEnumMemberName("park-key")]
    ParkKey,

    /// <summary>It is left out, counted and logged.</summary>
    Skip,

    /// <summary>The task stops before it, and tries it again slowly.</summary>
    Stop,
}
