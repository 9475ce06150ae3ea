using Xunit;

namespace Pipeline.IntegrationTests.Independent;

/// <summary>An independent client is not installed: a skip, and in CI a failure.</summary>
internal static class Missing
{
    public static Exception Program(string name, string package)
    {
        var message = $"{name} is missing (package {package}). To run these tests: .ci/install-services";
        return Environment.GetEnvironmentVariable("CI") == "true"
            ? new InvalidOperationException(message)
            : new SkipException(message);
    }
}
