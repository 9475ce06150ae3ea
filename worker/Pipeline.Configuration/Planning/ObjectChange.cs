namespace Pipeline.Configuration.Planning;

/// <summary>What happens to an index, a subscription or a backup.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Kind"><c>added</c>, <c>changed</c> or <c>unchanged</c>. If the file no longer has it, a backup is
/// <c>removed</c>; an index or a subscription is <c>kept</c> until a command deletes it.</param>
/// <param name="Note">What that means.</param>
public sealed record ObjectChange(string Name, string Kind, string Note);
