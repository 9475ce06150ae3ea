namespace Pipeline.Database.Queries.Demands;

/// <summary>What a query computes for each group.</summary>
/// <param name="Name">The field of the group's entry and the property of its stored object: <c>count()</c>, <c>sum(Freight)</c>.</param>
/// <param name="Path">The path that is summed up, without alias; null for the number of documents.</param>
public sealed record AggregateDemand(string Name, string? Path);
