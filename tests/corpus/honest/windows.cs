using System;
// Übung
class Program { }
