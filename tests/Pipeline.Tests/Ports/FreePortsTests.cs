using Pipeline.TestKit.Services;
using Xunit;

namespace Pipeline.Tests.Ports;

/// <summary>Ports of services that start side by side.</summary>
public sealed class FreePortsTests
{
    [Fact]
    public void No_port_is_given_out_twice()
    {
        var given = new HashSet<int>();
        for (var i = 0; i < 60; i++)
        {
            var count = 1 + (i % 4);
            var first = FreePorts.Find(count);
            foreach (var port in Enumerable.Range(first, count))
                Assert.True(given.Add(port), $"{port} was given out before");
        }
    }
}
