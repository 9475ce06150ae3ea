namespace Pipeline.Etl.Planning;

/// <summary>What becomes of an index, a subscription or a backup.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Kind"><c>added</c>, <c>changed</c>, <c>unchanged</c>, or <c>kept</c> where the file no longer has it: it stays until it is deleted by a command; a backup is <c>removed</c> then.</param>
/// <param name="Note">What that means.</param>
public sealed record ObjectChange(string Name, string Kind, string Note);
