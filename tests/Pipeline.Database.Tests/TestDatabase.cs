namespace Pipeline.Database.Tests;

internal static class TestDatabase
{
    internal static DocumentDatabase Open(string? path = null)
    {
        var made = 0;
        return DocumentDatabase.Open(
            new DatabaseOptions
            {
                Name = "test",
                Path = path,
                TimeProvider = new FixedTime(),
                NewGuid = () => new Guid(++made, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
            }
        );
    }

    private sealed class FixedTime : TimeProvider
    {
        public override DateTimeOffset GetUtcNow() => new(2026, 1, 2, 3, 4, 5, TimeSpan.Zero);
    }
}
