using System.Text.Json.Serialization;

namespace Pipeline.Etl.Connectors.AzureQueues;

/// <summary>What is done about a message that is larger than a queue takes.</summary>
public enum AzureQueueOversize
{
    /// <summary>The task's policy for errors decides.</summary>
    Park,

    /// <summary>Its body goes into a blob, whose address the message carries.</summary>
    [JsonStringEnumMemberName("claim-check")]
    ClaimCheck,

    /// <summary>The task fails until it is mended.</summary>
    Fail,
}
