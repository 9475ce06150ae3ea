namespace Pipeline.Hosting.Cluster;

/// <summary>A change of leader.</summary>
/// <param name="Epoch">Its number.</param>
/// <param name="Leader">The node that has led since.</param>
/// <param name="Time">When it began to lead, by its own clock.</param>
internal sealed record Election(long Epoch, string Leader, DateTimeOffset Time);
